import { Counter, Gauge, type Registry } from 'prom-client'

export const backupMetrics = (registry: Registry, lastAt: () => Promise<Date | undefined>) => {
  const failures = new Counter({
    name: 'posthorn_backup_failures_total',
    help: 'Scheduled backups of this process that failed',
    registers: [registry],
  })
  new Gauge({
    name: 'posthorn_backup_last_success_timestamp_seconds',
    help: 'When the newest backup in POSTHORN_BACKUP_DIR was begun; 0 if there is none',
    registers: [registry],
    async collect() {
      const at = await lastAt().catch(() => undefined)
      this.set(at ? at.getTime() / 1000 : 0)
    },
  })
  return { failed: () => failures.inc() }
}
