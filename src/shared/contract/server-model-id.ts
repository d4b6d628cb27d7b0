/** What separates a server from its model's name in an id: `srv_<serverId>/<name>`. */
const serverModelPrefix = "srv_"

/** Id of a server's model, wherever a model id is taken. */
export const serverModelId = (serverId: string, name: string): string =>
  `${serverModelPrefix}${serverId}/${name}`

/** The server and the name that an id is made of; null for ids of models on this computer. */
export function parseServerModelId(id: string): { serverId: string; name: string } | null {
  const slash = id.indexOf("/")
  if (!id.startsWith(serverModelPrefix) || slash === -1) return null
  return { serverId: id.slice(serverModelPrefix.length, slash), name: id.slice(slash + 1) }
}
