// Answers to asks, from the person's side: signed with their own key, and kept for the project where they said so.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import type { App } from '../app.ts'
import type { RuleInput } from '../policy/rules/schema.ts'
import { openProofKey, readProofKey } from '../proof/attest/keys.ts'
import type { Approval } from '../runs/approval.ts'
import { type AnswerPorts, signedText } from '../runs/approvals.ts'

/** What a person's answer needs. For a person only: it opens their key. */
export async function answerPorts(app: App): Promise<AnswerPorts> {
  const [projectStore, personalStore, readShell, { rememberForProject }] = await Promise.all([
    app.projectStore(),
    app.personalStore(),
    app.readShell(),
    import('../project/remember.ts'),
  ])
  return {
    sign: text => sign(null, Buffer.from(text), createPrivateKey(openProofKey(app.folders.data).privateKey)).toString('base64'),
    keepForProject: rules =>
      void rememberForProject(app.project(), rules as RuleInput[], { projectStore, personalStore, clock: app.clock, readShell }),
  }
}

/** Whether the key of this machine's person signed an answer. What can write to the store cannot approve by that alone. */
export function isPersons(personal: string, approval: Approval): boolean {
  const key = readProofKey(personal)
  if (key === null || approval.signature === null) return false
  return verify(null, Buffer.from(signedText(approval)), createPublicKey(key.public_key), Buffer.from(approval.signature, 'base64'))
}
