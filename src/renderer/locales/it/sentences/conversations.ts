import type { conversations as english } from "../../../../shared/sentences/conversations.ts"
import { translation } from "../../translation.ts"

export const conversations = translation<typeof english>()({
  fork_of_answer: "Solo da una risposta finita si può continuare in una nuova chat.",
  import_running: "Un’altra importazione è ancora in corso: aspetta che finisca.",
  no_import: "Questa importazione non c’è.",
  import_not_held: "Questa importazione non aspetta una conferma: scegli di nuovo il file.",
  import_too_long: "Supera i {{count, number}} MB.",
  import_too_deep: "È annidata troppo in profondità.",
  import_cut_off: "Il file finisce nel mezzo di questa chat.",
  import_unknown: "Non è una chat di ChatGPT, Claude o Open WebUI.",
  import_no_text: "Non ha messaggi con testo.",
  import_too_many_messages: "Ha più di {{count, number}} messaggi.",
  import_would_have_too_many: "Avrebbe più di {{count, number}} messaggi.",
  import_too_many_chats: "Ci sono già {{count, number}} chat, il massimo possibile.",
  import_just_deleted:
    "È stata appena eliminata: annulla l’eliminazione, o importala di nuovo tra un minuto.",
  import_known: "C’è già, con tutti i suoi messaggi.",
  import_left_out: "Le sue immagini e i suoi file non vengono importati: {{count, number}}.",
  import_not_json: "Il file non è né uno ZIP né un file JSON di chat.",
  import_bad_archive: "Il file ZIP è danneggiato, troppo grande o non contiene chat.",
  import_too_many_in_file:
    "Nel file ci sono più di {{count, number}} chat. Dividilo in file più piccoli e importali uno per uno: quello che c’è già non arriva due volte.",
  import_no_chats: "Nel file non ci sono chat di ChatGPT, Claude o Open WebUI.",
  import_broke: "Qualcosa è andato storto; quello che è stato importato fino ad allora è qui.",
  import_interrupted:
    "Casella si è chiusa nel mezzo. Importa di nuovo lo stesso file: quello che c’è già non arriva due volte.",
  id_malformed: "L’id di una chat ha da 1 a 200 caratteri e non è . o ...",
  no_branch: "In questa conversazione non c’è questo ramo.",
  no_message: "In questa conversazione non c’è questo messaggio.",
  none_such: "Questa conversazione non esiste.",
})
