import type { Pool } from '@fairway/engine';

/** A path through pools, as a picture shows it. */
export type PicturedPath = {
  /** The part of the trade that takes this path, from 0 to 1. */
  readonly share: number;
  /** One token more than there are legs. Tokens with the same id are the same token. */
  readonly tokens: readonly { readonly id: string; readonly name: string }[];
  readonly legs: readonly PicturedLeg[];
};

/** A pool on a path. */
export type PicturedLeg = {
  /** Identifies the pool. */
  readonly pool: string;
  readonly kind: Pool['kind'];
  /** The text beside the pool's band, after the share. */
  readonly label: string;
  /** The text that is shown when the reader points at the pool's band. */
  readonly detail: string;
};

/** A place that takes room in one layer of the picture. Layers of tokens alternate with layers between tokens. */
export type Slot = {
  readonly layer: number;
  /** Thickness of all bands that pass here. */
  readonly thickness: number;
  /** Room for a label above. */
  readonly headroom: number;
  /** The middle of the bands. */
  y: number;
};

/** A token at one place of the route. */
export type PicturedToken = { readonly name: string; readonly slot: Slot };

/** The part of the trade that goes through one pool from one place to another, over one path or several. */
export type PicturedBand = {
  readonly leg: PicturedLeg;
  readonly share: number;
  readonly from: PicturedToken;
  readonly to: PicturedToken;
  /** The places between the band's ends; `named` is the place with the label. */
  readonly passes: readonly Slot[];
  readonly named: Slot;
  /** Heights of the band's middle at its first and at its last token. */
  leavesAt: number;
  arrivesAt: number;
};

/** A route laid out: tokens from left to right, bands between them, y from 0 down to `height`. */
export type RouteLayout = {
  readonly layers: number;
  readonly height: number;
  readonly tokens: readonly PicturedToken[];
  readonly bands: readonly PicturedBand[];
};

/** Height of a band that carries the whole trade. */
const WHOLE = 220;
const THINNEST = 1.5;
const GAP = 10;
const LABEL_ROOM = 17;
/** A band of at least this height has room for its label inside. */
export const ROOMY = 20;
const ROUNDS = 8;

/** Lays out paths from their first token to their last. */
export function layOutRoute(paths: readonly PicturedPath[]): RouteLayout {
  const columns = Math.max(1, ...paths.map(({ legs }) => legs.length));
  const { tokens, bands } = collect(paths, columns);
  const layers = 2 * columns + 1;
  const slots = [...tokens.map(({ slot }) => slot), ...bands.flatMap(({ passes }) => passes)];
  const byLayer = Array.from({ length: layers }, (_, layer) => slots.filter((slot) => slot.layer === layer));
  const height = Math.max(...byLayer.map(roomOf));
  for (const layer of byLayer) settle(layer, height);
  const neighbours = neighboursOf(bands);
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? byLayer : byLayer.toReversed();
    for (const layer of order) {
      for (const slot of layer) slot.y = meanOf(neighbours.get(slot) ?? [], slot.y);
      layer.sort((a, b) => a.y - b.y);
      settle(layer, height);
    }
  }
  attachBands(tokens, bands);
  return { layers, height, tokens, bands };
}

/** Collects tokens by place, and bands by pool and places: paths with the same pool and places share one band. */
function collect(paths: readonly PicturedPath[], columns: number) {
  const places = new Map<string, { name: string; column: number; share: number }>();
  const runs = new Map<string, { leg: PicturedLeg; from: string; to: string; share: number }>();
  for (const { share, tokens, legs } of paths) {
    const keys = tokens.map(({ id, name }, index) => {
      const column = index === legs.length ? columns : index;
      const key = JSON.stringify([column, id]);
      const place = places.get(key) ?? { name, column, share: 0 };
      places.set(key, { ...place, share: place.share + share });
      return key;
    });
    for (const [index, leg] of legs.entries()) {
      const [from = '', to = ''] = [keys[index], keys[index + 1]];
      const key = JSON.stringify([leg.pool, from, to]);
      runs.set(key, { leg, from, to, share: (runs.get(key)?.share ?? 0) + share });
    }
  }
  const tokenAt = new Map<string, PicturedToken>();
  for (const [key, { name, column, share }] of places) {
    const isEnd = column === 0 || column === columns;
    const slot = slotAt(2 * column, share, isEnd ? 0 : LABEL_ROOM);
    tokenAt.set(key, { name, slot });
  }
  const bands = [...runs.values()].flatMap(({ leg, from, to, share }) => {
    const [start, end] = [tokenAt.get(from), tokenAt.get(to)];
    return start === undefined || end === undefined ? [] : [bandOf(leg, share, start, end)];
  });
  return { tokens: [...tokenAt.values()], bands };
}

function bandOf(leg: PicturedLeg, share: number, from: PicturedToken, to: PicturedToken): PicturedBand {
  const first = from.slot.layer + 1;
  const between = to.slot.layer - first;
  // The label stands in a layer between two columns of tokens: the one nearest to the band's middle.
  const middle = first + 2 * Math.floor((between - 1) / 4);
  const passes = Array.from({ length: between }, (_, index) =>
    slotAt(first + index, share, first + index === middle && thicknessOf(share) < ROOMY ? LABEL_ROOM : 0),
  );
  const named = passes[middle - first] ?? slotAt(middle, share, 0);
  return { leg, share, from, to, passes, named, leavesAt: 0, arrivesAt: 0 };
}

function slotAt(layer: number, share: number, headroom: number): Slot {
  return { layer, thickness: thicknessOf(share), headroom, y: 0 };
}

function thicknessOf(share: number): number {
  return Math.max(THINNEST, share * WHOLE);
}

function roomOf(slots: readonly Slot[]): number {
  return (
    slots.reduce((sum, { thickness, headroom }) => sum + thickness + headroom, 0) + GAP * (slots.length - 1)
  );
}

/** Moves slots as little as possible so that they do not overlap and stay inside; their order stays the same. */
function settle(slots: readonly Slot[], height: number): void {
  let top = 0;
  for (const slot of slots) {
    const { thickness, headroom } = slot;
    slot.y = Math.max(slot.y, top + headroom + thickness / 2);
    top = slot.y + thickness / 2 + GAP;
  }
  let bottom = height;
  for (const slot of slots.toReversed()) {
    const { thickness, headroom } = slot;
    slot.y = Math.min(slot.y, bottom - thickness / 2);
    bottom = slot.y - thickness / 2 - headroom - GAP;
  }
}

type Neighbour = { readonly slot: Slot; readonly weight: number };

function neighboursOf(bands: readonly PicturedBand[]): Map<Slot, Neighbour[]> {
  const neighbours = new Map<Slot, Neighbour[]>();
  const join = (slot: Slot, neighbour: Neighbour): void => {
    const known = neighbours.get(slot);
    if (known === undefined) neighbours.set(slot, [neighbour]);
    else known.push(neighbour);
  };
  for (const { from, passes, to, share } of bands) {
    const chain = [from.slot, ...passes, to.slot];
    for (const [index, slot] of chain.entries())
      for (const other of [chain[index - 1], chain[index + 1]])
        if (other !== undefined) join(slot, { slot: other, weight: share });
  }
  return neighbours;
}

function meanOf(neighbours: readonly Neighbour[], otherwise: number): number {
  const total = neighbours.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return otherwise;
  return neighbours.reduce((sum, { slot, weight }) => sum + slot.y * weight, 0) / total;
}

/** Stacks the bands at both sides of each token, in the order of the heights that they come from or go to. */
function attachBands(tokens: readonly PicturedToken[], bands: readonly PicturedBand[]): void {
  for (const token of tokens) {
    const { y, thickness } = token.slot;
    let [leaving, arriving] = [y - thickness / 2, y - thickness / 2];
    const outgoing = bands.filter(({ from }) => from === token);
    for (const band of outgoing.sort((a, b) => (a.passes[0]?.y ?? 0) - (b.passes[0]?.y ?? 0))) {
      band.leavesAt = leaving + (band.share * WHOLE) / 2;
      leaving += band.share * WHOLE;
    }
    const incoming = bands.filter(({ to }) => to === token);
    for (const band of incoming.sort((a, b) => (a.passes.at(-1)?.y ?? 0) - (b.passes.at(-1)?.y ?? 0))) {
      band.arrivesAt = arriving + (band.share * WHOLE) / 2;
      arriving += band.share * WHOLE;
    }
  }
}
