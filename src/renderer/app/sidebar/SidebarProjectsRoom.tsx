import { useProjects } from "../../data/projects.ts"

/** Maximum projects shown; the projects screen lists all. */
export const shownProjects = 3

/** Reserves the space of the projects until their component is loaded, so that the content below doesn't move. */
export function SidebarProjectsRoom() {
  const { data: projects = [] } = useProjects()
  const { length } = projects
  const rows = Math.min(length, shownProjects) + Number(length === 0 || length > shownProjects)
  return <div aria-hidden style={{ height: `calc(2.375rem + ${rows * 2}rem)` }} />
}
