import type { SentenceBody } from "../contract/sentence.ts"

export type ValueNames<Text> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | ValueNames<Rest>
  : never
type SentenceValues<Text> = {
  [
    Name in ValueNames<Text> as Name extends `${infer Bare}, number` ? Bare : Name
  ]: Name extends `${string}, number` ? number : string | number | Sentence
}
/** The values of a sentence, if it has any. They replace {{these}}; numbers in {{these, number}} get group separators. */
export type SentenceArguments<Text> = [ValueNames<Text>] extends [never] ? [] : [values: SentenceValues<Text>]

/** Names may come from untrusted sources. The accompanying text contains them in full. */
const maxValueLength = 500

/** A message for people in English, with its code and values. Created only from the lists or by `asIs`. */
export class Sentence {
  readonly text: string
  readonly #body: SentenceBody | undefined

  private constructor(text: string, body?: SentenceBody) {
    this.text = text
    this.#body = body
  }

  /** For the functions that create the sentences of a list. */
  static make(code: string, text: string, values: Values = {}): Sentence {
    return new Sentence(fill(text, values), { code, ...toShownValues(values) })
  }

  /** Text from elsewhere, such as a server's, or a sentence from another process with its code and values. */
  static asIs(text: string, body?: SentenceBody): Sentence {
    return new Sentence(text, body)
  }

  /** To be spread into the object that contains the text. */
  get field(): { sentence?: SentenceBody } {
    return this.#body === undefined ? {} : { sentence: this.#body }
  }
}

/** Creates a function for the sentences of a feature's list: `say("too_many", { count: 5 })`. */
export const splitSentences =
  <const List extends Readonly<Record<string, string>>>(feature: string, list: List) =>
  <Code extends keyof List & string>(code: Code, ...values: SentenceArguments<List[Code]>): Sentence =>
    Sentence.make(`${feature}.${code}`, list[code] ?? code, values[0])

type Values = Readonly<Record<string, string | number | Sentence>>

const fill = (text: string, values: Values): string =>
  text.replaceAll(/\{\{(\w+)(, number)?\}\}/g, (_, name: string, grouped?: string) => {
    const value = values[name] ?? ""
    if (value instanceof Sentence) return value.text
    return grouped === undefined ? String(value) : value.toLocaleString("en")
  })

function toShownValues(values: Values): Pick<SentenceBody, "values"> {
  const described = Object.entries(values).map(([name, value]) => {
    if (typeof value === "number") return [name, value] as const
    const { text, field } = typeof value === "string" ? Sentence.asIs(value) : value
    return [
      name,
      field.sentence ?? (text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text),
    ] as const
  })
  return described.length === 0 ? {} : { values: Object.fromEntries(described) }
}
