export class HostPatternRefused extends Error {}

export interface HostPattern {
  text: string
  /** Whether a pattern without a port speaks about every port is for the caller to say: yes where it forbids, no where it allows. */
  matches(host: string, anyPort: boolean): boolean
}

const NAME = /^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+$|^\[[0-9a-f:.]+\]$/

/** `x.y` is that host alone, `*.x.y` its sub-domains alone, `:port` binds it to one port. */
export function compileHostPattern(text: string): HostPattern {
  const { name, port } = splitPort(text.toLowerCase())
  if (!NAME.test(name)) throw new HostPatternRefused(`${text} is no host: write x.y or *.x.y, with :port where it matters`)
  const fits = name.startsWith('*.')
    ? (host: string) => host.endsWith(name.slice(1)) && host.length > name.length - 1
    : (host: string) => host === name
  return {
    text,
    matches: (host, anyPort) => {
      const given = splitPort(host.toLowerCase())
      const portFits = port === undefined ? anyPort || given.port === undefined : given.port === port
      // A trailing dot names the same host.
      return portFits && fits(given.name.replace(/\.$/, ''))
    },
  }
}

function splitPort(host: string): { name: string; port: string | undefined } {
  const found = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(host)
  return found ? { name: found[1] ?? '', port: found[2] } : { name: host, port: undefined }
}
