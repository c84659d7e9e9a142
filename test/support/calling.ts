import { engineDesk } from './engine-desk.ts'
import { type Work, workIn } from './proving.ts'

/** Calls tools as a model does, with text for arguments, through a real executor that allows everything. */
export async function calling(files: Record<string, string | Buffer> = {}) {
  const work: Work = workIn({ 'src/a.js': 'one\ntwo\nthree\n', ...files })
  await work.qed(['init'])
  const { executor } = await engineDesk(work, { readingOnly: false })
  let calls = 0
  return {
    root: work.root,
    git: work.git,
    /** What the model reads; an error as a loop would tell it. */
    call: (name: string, input: object | string): Promise<string> =>
      executor({ name, arguments: typeof input === 'string' ? input : JSON.stringify(input), callId: `c${++calls}` }).catch(
        (error: unknown) => `Error: ${error instanceof Error ? error.message : String(error)}`,
      ),
  }
}

/** What a tool gave, without the marks around it. */
export const inData = (text: string): string => /<data from="[^"]*">\n([\s\S]*)\n<\/data>/.exec(text)?.[1] ?? text
