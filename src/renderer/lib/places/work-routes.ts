/** Addresses of the screens of work that runs by itself, below `routes.work`. */
export const workRoutes = {
  month: "/work?month",
  new: "/work/new",
  /** What was done with files. */
  filed: "/work/filed",
  /** One that is begun: with a ready-made one, for what arrives in a folder, or asking what was asked in a chat. */
  newWith: (what: "template" | "folder" | "chat", id: string) =>
    `/work/new?${what}=${encodeURIComponent(id)}`,
  one: (id: string) => `/work/${encodeURIComponent(id)}`,
  editor: (id: string) => `/work/${encodeURIComponent(id)}/edit`,
}
