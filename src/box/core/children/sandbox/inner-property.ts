/** Returns an internal property of Node, by the description of its symbol. */
export function innerProperty(of: object, description: string): unknown {
  const symbol = Object.getOwnPropertySymbols(of).find((each) => each.description === description)
  return symbol && Reflect.get(of, symbol)
}
