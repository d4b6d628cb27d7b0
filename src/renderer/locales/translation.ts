import type { ValueNames } from "../../shared/sentences/sentence.ts"

type English = Readonly<Record<string, string>>
/** A sentence with a count may have a form for one. */
type Forms<List> = { [Code in keyof List]: string } & {
  [Code in keyof List & string as `${Code}_one`]?: string
}
type EnglishOf<List, Code> = Code extends keyof List
  ? List[Code]
  : Code extends `${infer Bare}_one`
    ? Bare extends keyof List
      ? List[Bare]
      : never
    : never
type SameValues<Text, Other> = [ValueNames<Text>] extends [ValueNames<Other>]
  ? [ValueNames<Other>] extends [ValueNames<Text>]
    ? Text
    : `also fill in {{${Exclude<ValueNames<Other>, ValueNames<Text>>}}}`
  : `don't fill in {{${Exclude<ValueNames<Text>, ValueNames<Other>>}}}`

/** Declares the translation of a list of sentences. It compiles only if every sentence is there with the same values. */
export const translation =
  <List extends English>() =>
  <const Texts extends Forms<List>>(
    texts: Texts & { [Code in keyof Texts]: SameValues<Texts[Code], EnglishOf<List, Code>> },
  ): Texts =>
    texts
