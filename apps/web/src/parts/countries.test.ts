import { COUNTRIES } from '@fairtick/protocol/countries';
import { LANGUAGE_TAGS, LANGUAGES } from '@fairtick/protocol/languages';
import { expect, test } from 'vitest';
import { countriesNamedIn, readCountryWords, searchCountries } from './countries.ts';

/** What people type, and the country that comes first. */
const WORDS = [
  ['UK', 'GB'],
  ['Great Britain', 'GB'],
  ['england', 'GB'],
  ['英国', 'GB'],
  ['英國', 'GB'],
  ['yingguo', 'GB'],
  ['yg', 'GB'],
  ['USA', 'US'],
  ['U.S.A.', 'US'],
  ['america', 'US'],
  ['美国', 'US'],
  ['mei guo', 'US'],
  ['Burma', 'MM'],
  ['缅甸', 'MM'],
  ['緬甸', 'MM'],
  ['myanmar', 'MM'],
  ['新加坡', 'SG'],
  ['xinjiapo', 'SG'],
  ['xjp', 'SG'],
  ['新嘉坡', 'SG'],
  ['sg', 'SG'],
  ['ＳＧ', 'SG'],
  ['中国', 'CN'],
  ['中國', 'CN'],
  ['zhongguo', 'CN'],
  ['大陆', 'CN'],
  ['大陸', 'CN'],
  ['香港', 'HK'],
  ['hong kong', 'HK'],
  ['hongkong', 'HK'],
  ['xianggang', 'HK'],
  ['台灣', 'TW'],
  ['臺灣', 'TW'],
  ['taiwan', 'TW'],
  ['澳门', 'MO'],
  ['macao', 'MO'],
  ['韩国', 'KR'],
  ['南韓', 'KR'],
  ['south korea', 'KR'],
  ['North Korea', 'KP'],
  ['阿联酋', 'AE'],
  ['uae', 'AE'],
  ['纽西兰', 'NZ'],
  ['澳洲', 'AU'],
  ['澳大利亚', 'AU'],
  ['holland', 'NL'],
  ['荷蘭', 'NL'],
  ['Czech Republic', 'CZ'],
  ['Ivory Coast', 'CI'],
  ["cote d'ivoire", 'CI'],
  ['Swaziland', 'SZ'],
  ['turkey', 'TR'],
  ['Deutschland', 'DE'],
  ['España', 'ES'],
  ['Việt Nam', 'VN'],
  ['日本', 'JP'],
  ['rb', 'JP'],
  ['俄国', 'RU'],
  ['Россия', 'RU'],
] as const;

const searchIn = async (tag: string, languages: readonly string[] = []) => {
  const find = searchCountries(countriesNamedIn(tag), await readCountryWords(), languages);
  return (typed: string) => find(typed).map(({ code }) => code);
};

test.each(LANGUAGES)(
  'a country is found by what people of several languages type, in %s',
  async (language) => {
    const found = await searchIn(LANGUAGE_TAGS[language]);
    expect(WORDS.filter(([typed, code]) => found(typed)[0] !== code)).toEqual([]);
    expect(found(' ')).toHaveLength(COUNTRIES.length);
    expect(found('没有这个')).toEqual([]);
    // Each by its own code, whatever else begins so.
    expect(COUNTRIES.filter((code) => found(code)[0] !== code)).toEqual([]);
  },
);

test('a country is found in the language of the browser', async () => {
  expect((await searchIn('en-US', ['es-MX', 'en_US@odd']))('alemania')[0]).toBe('DE');
});
