/** Stands in for what was taken away. */
export function refuse(): never {
  throw new Error("This process may not do that.")
}

/** Replaces every function of a built-in module or prototype by one that refuses, in place: everybody shares it. */
export function disable(target: object, by: () => never = refuse): void {
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (typeof value === "function" && writable && name !== "constructor") Reflect.set(target, name, by)
  }
}
