/** Whether an address has exactly the origin of the box's page. A common prefix isn't enough. */
export function isBoxAddress(boxUrl: string, address: string): boolean {
  const parsed = URL.parse(address)
  return (
    parsed !== null &&
    parsed.origin === new URL(boxUrl).origin &&
    parsed.username === "" &&
    parsed.password === ""
  )
}
