/** A value of which lists may come one element after another, as their reader takes them. */
export type Lazily<T> = T extends readonly (infer Element)[]
  ? T | AsyncIterable<Element>
  : T extends object
    ? { [Key in keyof T]: Lazily<T[Key]> }
    : T
