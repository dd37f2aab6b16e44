/**
 * Ports above 1023 that speak something else than the web and are tempting to reach through us: databases, caches,
 * container and cluster control, mail, X11, and what browsers refuse.
 */
const OTHER_SERVICES: ReadonlySet<number> = new Set([
  1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659, 4045, 4190, 4369, 5060,
  5061, 5432, 5672, 5900, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 8500, 9042,
  9092, 9200, 9300, 10080, 10250, 10255, 11211, 15672, 16379, 26379, 27017, 27018, 50070,
]);

/** Web servers live on 80, 443 and above 1023. Other ports need an entry in the allow-list. */
export function isWebPort(port: number): boolean {
  if (port === 80 || port === 443) return true;
  return port > 1023 && !OTHER_SERVICES.has(port);
}
