import { useProjects } from "../../data/projects.ts"

/** More are on a screen of their own. */
export const shownProjects = 3

/** Keeps the place of the projects until what draws them is fetched, so that what is under them doesn't move. */
export function SidebarProjectsRoom() {
  const { data: projects = [] } = useProjects()
  const { length } = projects
  const rows = Math.min(length, shownProjects) + Number(length === 0 || length > shownProjects)
  return <div aria-hidden style={{ height: `calc(2.375rem + ${rows * 2}rem)` }} />
}
