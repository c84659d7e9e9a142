import { config } from 'zod'

/**
 * Makes the shapes that come after it check by walking, not by code that is compiled at their first use: that takes longer than all the
 * checks of most commands together.
 */
export function interpretShapes(): void {
  config({ jitless: true })
}
