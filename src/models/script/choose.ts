import type { EngineLoopMessage } from '../../kernel/frames.ts'
import type { Script, ScriptReply } from './schema.ts'

const NOTHING_MORE: ScriptReply = { text: 'Nothing more to do.' }

type Play = (messages: readonly EngineLoopMessage[]) => ScriptReply

/** Plays one script: hands out its turns in their order. A turn with `when` waits for its match while later ones are tried.
 *  A conversation that had begun before is gone through first, so that a run which was interrupted goes on where it was. */
export function createPlayer(script: Script): Play {
  const take = takeInOrder(script)
  let caughtUp = false
  return messages => {
    if (!caughtUp) {
      caughtUp = true
      for (const [i, { role }] of messages.entries()) if (role === 'assistant') catchUp(take, messages.slice(0, i))
    }
    return take(messages)
  }
}

// An error leaves no frame behind: it was followed by another try.
function catchUp(take: Play, before: readonly EngineLoopMessage[]): void {
  while (take(before).error);
}

function takeInOrder(script: Script): Play {
  const left = script.turns.map(turn => ({
    turn,
    times: turn.when?.times ?? 1,
    sees: turn.when && new RegExp(turn.when.sees, 's'),
  }))
  return messages => {
    const newest = newestText(messages)
    const next = left.find(({ times, sees }) => times > 0 && (!sees || sees.test(newest)))
    if (!next) return script.otherwise ?? NOTHING_MORE
    next.times--
    return next.turn
  }
}

/** What the model has not answered yet: every user and tool frame after its last own one. */
function newestText(messages: readonly EngineLoopMessage[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages
    .slice(last + 1)
    .filter(({ role }) => role === 'user' || role === 'tool')
    .map(({ content }) => content)
    .join('\n')
}
