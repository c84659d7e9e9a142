import { type ConnectOptions, connectRpc, type RpcClient } from '../client/rpc-client.ts'
import type { OperationMap } from '../operations/operation-map.ts'

export { ConnectionLost, type ConnectOptions, type RpcClient, RpcFailed } from '../client/rpc-client.ts'
export type { OperationMap } from '../operations/operation-map.ts'

/** Connects to a running `qed serve`; every operation can be called by its name, with its own types. */
export function connect(options: ConnectOptions): Promise<RpcClient<OperationMap>> {
  return connectRpc<OperationMap>(options)
}
