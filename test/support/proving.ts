import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryRepository } from './folders.ts'
import { cleanEnv, qed, type Ran, type RunOptions } from './qed.ts'

/** A repository that was not made for QED: shell alone, so that a proof in it costs little. */
export const UNDONE = {
  'src/greeting': 'hullo\n',
  'test/greeting.test.sh': 'test "$(cat src/greeting)" = hello || { echo "greeting is $(cat src/greeting)" >&2; exit 1; }\n',
}
export const DONE = { 'src/greeting': 'hello\n' }
export const TEST = ['sh', 'test/greeting.test.sh']

export interface Work {
  root: string
  env: Record<string, string>
  /** The personal state folder. */
  state: string
  git: (...args: string[]) => string
  write: (files: Record<string, string | Buffer>) => void
  commit: (message: string) => string
  qed: (args: string[], options?: RunOptions) => Promise<Ran>
  json: <T = Record<string, unknown>>(args: string[]) => Promise<T>
}

/** A repository with one commit, beside it a home of its own. */
export function workIn(files: Record<string, string | Buffer> = UNDONE, root = temporaryRepository()): Work {
  const env = cleanEnv()
  const git: Work['git'] = (...args) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
      timeout: 20_000,
    }).trim()
  const run: Work['qed'] = (args, options) => qed(args, { cwd: root, env, timeout: 60_000, ...options })
  const work: Work = {
    root,
    env,
    state: join(env['HOME'] ?? '', '.local/share/qed/state'),
    git,
    write: changed => {
      for (const [path, text] of Object.entries(changed)) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
    },
    commit: message => {
      git('add', '--all')
      git('commit', '--quiet', '--message', message)
      return git('rev-parse', 'HEAD')
    },
    qed: run,
    json: async <T>(args: string[]) => JSON.parse((await run(args)).stdout) as T,
  }
  work.write(files)
  work.commit('before')
  return work
}

/** Every file of a checkout and of its git data, but for objects and what QED may write: its own refs and notes. */
export function everything({ root }: Pick<Work, 'root'>): Map<string, string> {
  const left = /^\.git\/(objects|(logs\/)?refs\/(qed|notes))(\/|$)/
  return new Map(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => join(entry.parentPath, entry.name).slice(root.length + 1))
      .filter(path => !left.test(path))
      .sort()
      .map(path => [path, readFileSync(join(root, path), 'latin1')]),
  )
}
