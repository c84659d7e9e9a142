import type { JsonObject } from '../../kernel/json.ts'
import type { AskPerson } from '../../tools/ask-user.ts'
import type { RunTime } from './time.ts'
import type { Hands } from './types.ts'

/** A question of the model: the run waits for a person, as it does with an ask. */
export function asQuestion({ house, claim }: Hands, time: RunTime, ask: AskPerson): AskPerson {
  const { store, runs } = house
  const write = (type: string, data: JsonObject): void => void store.log.append(`run:${claim.run}`, type, data)
  return async (question, signal) => {
    runs.fenced(claim, () => {
      write('question.asked', { question })
      runs.wait(claim)
    })
    let answer: string | null = null
    try {
      answer = await time.standStill(() => ask(question, signal))
    } finally {
      runs.fenced(claim, () => {
        write('question.answered', { answered: answer !== null })
        runs.goOn(claim.run)
      })
    }
    return answer
  }
}
