import { EXAMPLE_FACTS } from '../../policy/rules/examples.ts'
import type { ReadShell } from '../../policy/shell-port.ts'
import { calledScripts } from './called-scripts.ts'
import { inProject, ROOT } from './in-project.ts'
import { scriptCall, scriptTexts } from './manifest-scripts.ts'

interface OwnJudgeOptions {
  command: string
  isInBase: (path: string) => boolean
  /** Whether the worker may write it. */
  isOwned: (path: string) => boolean
  isTestSide: (path: string) => boolean
  /** `package.json` at the root of the base. */
  manifest: string | null
  readShell: ReadShell
}

/** F-20: what the verify command would run that is not there yet and that the worker would write itself (`plan.judge`). New tests are
 *  fine, because they are judged by themselves. Pure. */
export function judgesToBeWritten(options: OwnJudgeOptions): string[] {
  const { command, isInBase, isOwned, isTestSide, manifest, readShell } = options
  const { segments } = readShell(command, { cwd: ROOT, facts: EXAMPLE_FACTS })
  const written = segments.flatMap(segment => {
    const scripts = calledScripts(segment).flatMap(word => (segment.cwd ?? [ROOT]).map(folder => inProject(word, folder)))
    const call = scriptCall(segment.argv.map(word => (word.kind === 'static' ? word.text : '')))
    const isMissing =
      call && !call.maybe && call.folder === '' && call.workspaces.length === 0 && scriptTexts(manifest ?? '', call.name).length === 0
    return [...scripts.filter(path => path !== null && !isInBase(path) && !isTestSide(path)), ...(isMissing ? ['package.json'] : [])]
  })
  return [...new Set(written.filter(path => path !== null && isOwned(path)))].map(path => path ?? '').sort()
}
