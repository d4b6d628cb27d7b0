import { allFunctionWords } from "../../engines/vectors/text/languages.ts"
import { foldWord } from "./fold-word.ts"

/** Function words in addition to those that search uses to detect languages; those lists are short so that texts are told apart well. */
const more =
  // English
  "above across against along among around behind below beneath beside besides between beyond despite down except inside " +
  "like near off onto outside over past per since through throughout till toward towards under underneath until upon via " +
  "with within without every either neither none nor yet although though whether whereas unless mine myself yours ours " +
  "hers theirs doing done having here just less least few very too another same own again ever never always already " +
  "still now s t re ve ll d m vs versus " +
  // Italian
  "a ad col coi dallo dagli dall nello negli nell su sullo sugli sulle sull o od ed dell all quell quest c però né se mentre " +
  "poiché me mio mia miei mie tu te tuo tua tuoi tue lui lei egli ella nostro nostra nostri nostre voi vi vostro vostra " +
  "vostri vostre ne suo sua suoi sue quello quella quelli quelle quel quei quegli sei siamo siete furono essere stato stata " +
  "stati state ho hai abbiamo avete hanno aveva avevano avere può possono posso deve devono meno molto molti molta molte " +
  "poco pochi poca poche tutto tutta tutti tutte altro altra altri altre ogni qualche alcuni alcune senza dopo prima contro " +
  "verso sotto sopra durante entro oltre presso fino quanto quanta quanti quante dov com " +
  // German
  "sondern denn weil daß dass ob mein meine meinen meinem meiner dich dir dein deine ihn ihm unser unsere euch euer ans hinter " +
  "neben seit wegen trotz bin bist muss müssen soll sollen darf dürfen mag will wollen kein keine keinen schon alle jede " +
  "jeder jedes hier da dann " +
  // French
  "à contre depuis pendant avant après donc or ni car me m moi te t toi ton ta tes soi nos vos lui cela ça suis es sommes " +
  "êtes ont avait avoir ai as avons avez peut peuvent doit moins autre autres si j qu n y sous chez vers " +
  // Spanish
  "unos unas a hacia contra u sino quienes cual cuales cuyo mis tú tu tus ello nosotros nuestro nuestra vosotros os ustedes " +
  "usted esos esas aquel aquella estar había haber puede pueden debe menos mucho muchos todo todos toda todas otro otra " +
  "otros otras ya si sí desde según durante " +
  // Portuguese
  "a à às pelos pelas num numa nuns numas desde sem sob sobre contra até após durante meu minha meus minhas teu tua nosso " +
  "nossa vosso vossa ele ela eles elas eu tu nós vós isto aquilo esse essa aquele aquela qual quais cujo nem porém porque " +
  "quando onde muito muitos todo todos toda todas outro outra outros outras já sim estar está estão tem têm havia pode podem"

const smallWords: ReadonlySet<string> = new Set([...allFunctionWords(), ...more.split(" ")].map(foldWord))

/** Whether a word is a function word in some language, with or without accents. */
export const isSmallWord = (word: string): boolean => smallWords.has(foldWord(word))
