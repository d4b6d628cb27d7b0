import type { pictures as english } from "../../../../shared/sentences/pictures.ts"
import { translation } from "../../translation.ts"

export const pictures = translation<typeof english>()({
  elsewhere:
    "Le immagini a indirizzi web non vengono scaricate. Metti l’immagine nella richiesta come URL data:.",
  ended: "Il processo che prepara le immagini per i modelli si è chiuso due volte. Riprova.",
  not_data: "Un’immagine dev’essere un URL data: con il base64 di un PNG, JPEG, WebP o GIF.",
  not_seen: "{{model}} non supporta le immagini. Scegli un modello che le supporta, o togli l’immagine.",
  one_of: "{{name}}: {{what}}",
  too_large: "L’immagine supera {{count, number}} MB. Usa una copia più piccola.",
  too_many: "Una richiesta può contenere al massimo {{count, number}} immagini. Togline qualcuna.",
})
