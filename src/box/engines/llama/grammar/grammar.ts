import type { GbnfJsonObjectSchema, GbnfJsonSchema, Llama, LlamaGrammar } from "node-llama-cpp"
import { invalidField } from "../../../../shared/contract/errors.ts"
import { sentence } from "../../../../shared/sentences/sentences.ts"
import type { AnswerPlan } from "../process/answer-plan.ts"

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
