export { defaultEngineBudgets } from '../engine/budgets.ts'
export { runEngineLoop } from '../engine/loop.ts'
export {
  EngineBudget,
  EngineCommandKind,
  EngineLoopMessage,
  EngineLoopOutcome,
  EngineLoopResponse,
  EngineLoopTool,
  Usage,
} from '../engine/schemas.ts'
export type {
  ContextStrategy,
  EngineLoopClient,
  EngineLoopHooks,
  EngineLoopInput,
  EngineLoopToolExecutor,
  TurnJudge,
} from '../engine/types.ts'
export { ToolRefused } from '../kernel/tool-refused.ts'
