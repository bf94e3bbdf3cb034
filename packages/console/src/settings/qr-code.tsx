import qrcode from 'qrcode-generator'

/** Black on white in both themes, for cameras. The frame adds the quiet zone. */
export const QrCode = ({
  text,
  title,
  className,
}: {
  readonly text: string
  readonly title: string
  readonly className: string | undefined
}) => {
  const code = qrcode(0, 'M')
  code.addData(text)
  code.make()
  const size = code.getModuleCount()
  const places = Array.from({ length: size }, (_, n) => n)
  const path = places.flatMap((y) => places.filter((x) => code.isDark(y, x)).map((x) => `M${x} ${y}h1v1h-1z`)).join('')
  return (
    <svg
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={title}
      shapeRendering="crispEdges"
    >
      <title>{title}</title>
      <path d={path} fill="#000" />
    </svg>
  )
}
