/** Whether an address belongs to the box's own page: its exact origin, nothing that merely begins like it. */
export function isBoxAddress(boxUrl: string, address: string): boolean {
  const parsed = URL.parse(address)
  return (
    parsed !== null &&
    parsed.origin === new URL(boxUrl).origin &&
    parsed.username === "" &&
    parsed.password === ""
  )
}
