/** Replaces removed functions. */
export function refuse(): never {
  throw new Error("This process may not do that.")
}

/**
 * Replaces every function of a built-in module or prototype with one that throws. The change is made in place, because all code shares the
 * object.
 */
export function disable(target: object, by: () => never = refuse): void {
  for (const [name, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
    if (typeof value === "function" && writable && name !== "constructor") Reflect.set(target, name, by)
  }
}
