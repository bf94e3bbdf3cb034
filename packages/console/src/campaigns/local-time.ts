/** For `<input type="datetime-local">`, such as `2026-12-24T18:00`; empty without an instant. */
export const localTimeIn = (instant: string | undefined, timeZone: string): string => {
  const at = instant === undefined ? Number.NaN : Date.parse(instant)
  if (Number.isNaN(at)) return ''
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(at)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}
