import { findProgram } from './launch.ts'

/** How a command text is run: by bash without its start files, by sh where there is no bash. */
export function shellArgv(text: string): string[] {
  const bash = ['/bin/bash', '/usr/bin/bash'].find(path => findProgram(path, { cwd: '/', path: '' }).kind === 'found')
  return bash ? [bash, '--noprofile', '--norc', '-o', 'pipefail', '-c', text] : ['/bin/sh', '-c', text]
}
