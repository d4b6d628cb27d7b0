/** A value whose lists may be async iterables, which are read element by element. */
export type Lazily<T> = T extends readonly (infer Element)[]
  ? T | AsyncIterable<Element>
  : T extends object
    ? { [Key in keyof T]: Lazily<T[Key]> }
    : T
