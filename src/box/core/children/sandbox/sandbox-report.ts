import {
  ChildKind,
  type ChildWalls,
  type InactiveSandboxReason,
} from "../../../../shared/contract/privacy.ts"
import { getSystemSandbox, getGraphicsSandbox, type SystemSandbox } from "./system-sandbox.ts"

/** Reports the sandboxes of children that are forked processes. */
export const describeForkedSandboxes = (): ChildWalls[] =>
  report(null, (child) => (child === "engine" ? getGraphicsSandbox() : getSystemSandbox()))

/** Reports the sandboxes of Electron's utility processes: they have no permission model, and no sandbox can be put around them. */
export const describeDesktopSandboxes = (): ChildWalls[] =>
  report("desktop", () => ({ stands: false, reason: "desktop" }))

function report(
  noPermissions: InactiveSandboxReason | null,
  getSystem: (child: ChildKind) => SystemSandbox | { stands: false; reason: InactiveSandboxReason },
): ChildWalls[] {
  return ChildKind.options.map((child) => {
    const system = getSystem(child)
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
