import type { ChatModelFunctions, ChatWrapper } from "node-llama-cpp"

/** `hidden`: the model may call it, but the prompt doesn't describe it. */
export type ModelFunction = ChatModelFunctions[string] & { readonly hidden?: true }
export type ModelFunctions = Readonly<Record<string, ModelFunction>>

/** Wraps a model's chat template so that prompts leave out hidden functions. */
export function hideTools(wrapper: ChatWrapper): ChatWrapper {
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
