import type { pictures as english } from "../../../../shared/sentences/pictures.ts"
import { translation } from "../../translation.ts"

export const pictures = translation<typeof english>()({
  elsewhere:
    "Bilder unter anderen Adressen werden nicht abgerufen. Fügen Sie das Bild als data:-URL in die Anfrage selbst ein.",
  ended:
    "Das Programm, das Bilder für Modelle aufbereitet, wurde wiederholt beendet. Versuchen Sie es noch einmal.",
  not_data: "Ein Bild muss eine data:-URL mit dem Base64 eines PNG, JPEG, WebP oder GIF sein.",
  not_seen:
    "{{model}} nimmt keine Bilder an. Fragen Sie ein Modell, das Bilder sieht, oder lassen Sie das Bild weg.",
  one_of: "{{name}}: {{what}}",
  too_large: "Das Bild ist größer als {{count, number}} MB. Verwenden Sie eine kleinere Kopie.",
  too_many: "Eine Anfrage darf höchstens {{count, number}} Bilder enthalten. Lassen Sie einige weg.",
})
