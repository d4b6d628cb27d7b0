import type { z } from "zod"
import type { ChannelName } from "../../shared/ipc-names.ts"
import { channels, type Channels } from "../../shared/ipc.ts"

export type ChannelHandler<C extends ChannelName> = (
  input: z.output<Channels[C]["input"]>,
) => z.input<Channels[C]["output"]> | Promise<z.input<Channels[C]["output"]>>

/**
 * Wraps a channel's handler: only the box's page may call it, and its input and output must match the channel's schemas. Throws otherwise.
 */
export function guardChannel<C extends ChannelName>(
  channel: C,
  isTrusted: (senderAddress: string) => boolean,
  handle: ChannelHandler<C>,
) {
  const { input: inputSchema, output: outputSchema } = channels[channel]
  return async (senderAddress: string | undefined, input: unknown): Promise<unknown> => {
    if (senderAddress === undefined || !isTrusted(senderAddress))
      throw new Error(`${channel}: not for this sender.`)
    const checked = inputSchema.parse(input) as z.output<Channels[C]["input"]>
    return outputSchema.parse(await handle(checked))
  }
}
