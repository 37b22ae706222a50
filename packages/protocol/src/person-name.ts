/** Scripts whose words are spelt with joiners: of Arabic, India and its neighbours. */
const JOINING = `[${'Arab Syrc Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt'
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('')}]`;
const JOINERS = new RegExp(`(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})`, 'gu');
const ENDS =
  /^[\s\p{Default_Ignorable_Code_Point}]+|(?<![\s\p{Default_Ignorable_Code_Point}])[\s\p{Default_Ignorable_Code_Point}]+$/gu;
/** Selectors that choose the drawing of a Chinese character, and no other character. */
const DRAWINGS = /(?<=\p{scx=Hani})[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/gu;

/**
 * A name as it is kept: composed (NFC), without invisible characters at its ends, and with the present code of characters that older
 * Chinese input methods write with a private one (U+E863 is 䶮). GB 18030 has both at the same place.
 */
export function plainName(typed: string): string {
  return typed
    .replaceAll(/[\ue815-\ue864]/g, (old) => {
      const place = old.charCodeAt(0) - 0xe815 + 0x50;
      return new TextDecoder('gb18030').decode(Uint8Array.of(0xfe, place < 0x7f ? place : place + 1));
    })
    .normalize('NFC')
    .replaceAll(DRAWINGS, '')
    .replaceAll(ENDS, '');
}

/** The name without the joiners that its script needs; any other invisible character in it is a fault. */
export const withoutJoiners = (name: string): string => name.replaceAll(JOINERS, '');
