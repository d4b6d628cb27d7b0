import type { ChatModelFunctions, ChatWrapper } from "node-llama-cpp"

/** `hidden`: it may be called, but the prompt doesn't describe it. */
export type ModelFunction = ChatModelFunctions[string] & { readonly hidden?: true }
export type ModelFunctions = Readonly<Record<string, ModelFunction>>

/** A model's chat template that leaves hidden functions out of prompts. */
export function withoutHidden(wrapper: ChatWrapper): ChatWrapper {
  return Object.assign(Object.create(wrapper) as ChatWrapper, {
    generateContextState({
      availableFunctions,
      ...rest
    }: Parameters<ChatWrapper["generateContextState"]>[0]) {
      return wrapper.generateContextState({
        ...rest,
        ...(availableFunctions !== undefined && { availableFunctions: described(availableFunctions) }),
      })
    },
  })
}

const described = (functions: ModelFunctions): ChatModelFunctions =>
  Object.fromEntries(Object.entries(functions).filter(([, { hidden }]) => hidden !== true))
