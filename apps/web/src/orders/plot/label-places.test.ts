import { expect, test } from 'vitest';
import { labelPlaces } from './label-places.ts';

const COLUMN = { first: 20, last: 100, distance: 20 };

test('labels that have room stand where they belong, and those beyond an end at that end', () => {
  expect(labelPlaces([70, 30], COLUMN)).toEqual([70, 30]);
  expect(labelPlaces([-50, 400], COLUMN)).toEqual([20, 100]);
});

test('labels of near heights are moved apart and keep their order', () => {
  expect(labelPlaces([50, 45, 52], COLUMN)).toEqual([65, 45, 85]);
  expect(labelPlaces([99, 98], COLUMN)).toEqual([100, 80]);
});

test('a full column keeps the most important labels', () => {
  expect(labelPlaces([100, 100, 100, 20, 20, 20], COLUMN)).toEqual([60, 80, 100, 20, 40, null]);
  expect(labelPlaces([50], { ...COLUMN, last: 10 })).toEqual([null]);
});
