import type { GbnfJsonSchema, GbnfJsonObjectSchema, Llama, LlamaGrammar } from "node-llama-cpp"
import { invalidField } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { EngineFunction, EngineMessage, GenerateRequest } from "../../engine.ts"
import { findSchemaFault, safeRepetitions } from "../../schema-fault.ts"
import { anyObject, toGrammarSchema } from "../grammar/json-schema.ts"
import { findUnchecked, isEndless } from "../grammar/schema-limits.ts"
import type { ModelFunction, ModelFunctions } from "./chat-runtime.ts"

/** The form of an answer: free text with calls, JSON that follows a schema, or exactly one call. */
export interface AnswerPlan {
  /** Functions that the model may call in the way its chat template defines. */
  functions: ModelFunctions | undefined
  /** If set, the whole answer is JSON that follows this schema. */
  schema: GbnfJsonSchema | null
  /** The request parameter that contains the schema. */
  schemaParameter: string
  /** The parameter schemas of the callable functions, each with the name of its request parameter. */
  functionSchemas: { parameter: string; schema: GbnfJsonSchema }[]
  /** The JSON is a call, `{"name", "arguments"}`, not text for the user. */
  forcedCall: boolean
  /** Returns the messages with the plan's instructions for the model added. */
  prepare(messages: EngineMessage[]): EngineMessage[]
}

/** Throws AppError `validation` for options that can't be combined, and for schemas that can't be enforced. */
export function planAnswer(request: GenerateRequest): AnswerPlan {
  const { functions = [], functionChoice = "auto", responseFormat } = request
  const free: AnswerPlan = {
    functions: undefined,
    schema: null,
    schemaParameter: "response_format.json_schema.schema",
    functionSchemas: [],
    forcedCall: false,
    prepare: (messages) => messages,
  }
  if (functions.length === 0 || functionChoice === "none") {
    if (responseFormat === undefined) return free
    const schema = responseFormat.type === "json_schema" ? responseFormat.schema : anyObject
    checkSchema(schema, free.schemaParameter, true)
    return { ...free, schema: toGrammarSchema(schema) }
  }
  if (responseFormat !== undefined)
    throw invalidField("response_format", sentence("llama.format_or_functions"))
  const functionSchemas = functions.flatMap(({ parameters, strict = false }, index) => {
    if (parameters === undefined) return []
    const parameter = `tools[${index}].function.parameters`
    checkSchema(parameters, parameter, strict)
    return [{ parameter, schema: argumentsSchema(parameters, strict) }]
  })
  if (functionChoice === "auto")
    return { ...free, functionSchemas, functions: Object.fromEntries(functions.map(toModelFunction)) }

  const allowed = functions.filter(
    ({ name }) => functionChoice === "required" || name === functionChoice.name,
  )
  if (allowed.length === 0) throw invalidField("tool_choice", sentence("llama.function_not_given"))
  return {
    ...free,
    functionSchemas,
    schemaParameter: "tools",
    schema: { oneOf: allowed.map(callSchema) } as unknown as GbnfJsonSchema,
    forcedCall: true,
    prepare: (messages) => instruct(messages, allowed),
  }
}

/**
 * A third-party tool can have any schema, so schemas that can't become a grammar are rejected first. Without `strict` a schema may require
 * more than a grammar can enforce: the model reads it, and the caller checks the result.
 */
function checkSchema(schema: Record<string, unknown>, parameter: string, strict: boolean): void {
  const fault = findSchemaFault(schema, strict)
  if (fault !== null) throw invalidField(parameter, sentence("llama.schema_refused", { parameter, fault }))
  if (isEndless(schema)) throw invalidField(parameter, sentence("llama.schema_endless", { parameter }))
  const unchecked = strict ? findUnchecked(schema) : null
  if (unchecked !== null)
    throw invalidField(parameter, sentence("llama.schema_unchecked", { parameter, what: unchecked }))
}

function toModelFunction({
  name,
  description,
  parameters,
  strict,
  hidden = false,
}: EngineFunction): [string, ModelFunction] {
  return [
    name,
    {
      ...(hidden && { hidden }),
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { params: argumentsSchema(parameters, strict) }),
    },
  ]
}

function callSchema({ name, parameters = anyObject, strict }: EngineFunction): Record<string, unknown> {
  return {
    type: "object",
    properties: { name: { const: name }, arguments: argumentsSchema(parameters, strict) },
  }
}

const argumentsSchema = (parameters: Record<string, unknown>, strict = false): GbnfJsonSchema =>
  toGrammarSchema(parameters, "nullable", strict ? Infinity : safeRepetitions)

/** Chat templates can't force a call, so the model gets a written instruction and the grammar enforces it. */
function instruct(messages: EngineMessage[], functions: EngineFunction[]): EngineMessage[] {
  const list = functions.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters }),
  )
  const content = [
    'Answer with one function call and nothing else, as JSON: {"name": …, "arguments": {…}}. The functions:',
    ...list,
  ].join("\n")
  const [first, ...rest] = messages
  return first?.role === "system"
    ? [{ role: "system", content: `${first.content}\n\n${content}` }, ...rest]
    : [{ role: "system", content }, ...messages]
}

/**
 * Compiles the grammar of the whole answer; null if the answer is unrestricted. The schemas of callable tools are compiled too, because
 * llama.cpp would otherwise refuse them in the middle of an answer.
 *
 * @throws AppError `validation` that names the schema that is too large or too unusual for llama.cpp.
 */
export async function compileGrammar(llama: Llama, plan: AnswerPlan): Promise<LlamaGrammar | null> {
  for (const { parameter, schema } of plan.functionSchemas) await compileOnce(llama, schema, parameter)
  return plan.schema === null ? null : compile(llama, plan.schema, plan.schemaParameter)
}

/** Schemas that llama.cpp accepted, because the same tools are used in every turn. */
const taken = new Set<string>()
const maxTaken = 1000

async function compileOnce(llama: Llama, schema: GbnfJsonSchema, parameter: string): Promise<void> {
  const text = JSON.stringify(schema)
  if (taken.has(text)) return
  await compile(llama, schema, parameter)
  if (taken.size >= maxTaken) taken.clear()
  taken.add(text)
}

async function compile(llama: Llama, schema: GbnfJsonSchema, parameter: string): Promise<LlamaGrammar> {
  try {
    // The declared type serves only to infer the type of the answer.
    return await llama.createGrammarForJsonSchema(schema as GbnfJsonObjectSchema)
  } catch {
    throw invalidField(parameter, sentence("llama.schema_too_large", { parameter }))
  }
}
