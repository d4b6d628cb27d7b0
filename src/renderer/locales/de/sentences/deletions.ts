import type { deletions as english } from "../../../../shared/sentences/deletions.ts"
import { translation } from "../../translation.ts"

export const deletions = translation<typeof english>()({
  gone: "Dieses Löschen lässt sich nicht rückgängig machen: Das ist schon geschehen, oder es ist zu spät.",
  gone_from_trash: "Die Datei lässt sich nicht zurückholen: Sie ist nicht mehr im Papierkorb.",
})
