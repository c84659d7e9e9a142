/** What some work costs this process, in milliseconds. Unlike the time that passes, it does not depend on what else the machine does. */
export function cpuTime(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
