import { ChildKind, type ChildWalls, type NoWall } from "../../../../shared/contract/privacy.ts"
import { systemWall, systemWallOfGraphics, type SystemWall } from "./system-walls.ts"

/** Reports the sandboxes of children that are forked processes. */
export const forkedWalls = (): ChildWalls[] =>
  report(null, (child) => (child === "engine" ? systemWallOfGraphics() : systemWall()))

/** Reports the sandboxes of Electron's utility processes: they have no permission model, and no sandbox can be put around them. */
export const desktopWalls = (): ChildWalls[] =>
  report("desktop", () => ({ stands: false, reason: "desktop" }))

function report(
  noPermissions: NoWall | null,
  systemOf: (child: ChildKind) => SystemWall | { stands: false; reason: NoWall },
): ChildWalls[] {
  return ChildKind.options.map((child) => {
    const system = systemOf(child)
    return {
      child,
      walls: [
        { wall: "realm", stands: true, reason: null },
        { wall: "permissions", stands: noPermissions === null, reason: noPermissions },
        { wall: "system", stands: system.stands, reason: system.stands ? null : system.reason },
      ],
    }
  })
}
