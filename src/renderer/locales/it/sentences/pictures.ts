import type { pictures as english } from "../../../../shared/sentences/pictures.ts"
import { translation } from "../../translation.ts"

export const pictures = translation<typeof english>()({
  elsewhere:
    "Le immagini ad altri indirizzi non vengono scaricate. Metti l’immagine nella richiesta stessa, come URL data:.",
  ended:
    "Il programma che prepara le immagini per i modelli si è chiuso, e di nuovo. Prova ancora una volta.",
  not_data: "Un’immagine dev’essere un URL data: con il base64 di un PNG, JPEG, WebP o GIF.",
  not_seen: "{{model}} non accetta immagini. Chiedi a un modello che le vede, o togli l’immagine.",
  one_of: "{{name}}: {{what}}",
  too_large: "L’immagine ha più di {{count}} MB. Prendine una copia più piccola.",
  too_many: "Una richiesta può contenere al massimo {{count}} immagini. Togline qualcuna.",
})
