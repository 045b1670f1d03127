/** Why there is no slot: the organisation has all of its own, or all organisations together have all there are. */
export type NoSlot = { readonly ok: false; readonly taken: 'OWN' | 'ALL' };

/** Slots of work that goes on for long, such as a download. */
export type Slots = {
  /** Takes a slot of an organisation. It is given back by `leave`, which may be called more than once. */
  enter(organisationId: string): { readonly ok: true; leave(): void } | NoSlot;
};

/**
 * Makes slots, of which each organisation may have `ofOne`, and all together `ofAll`.
 *
 * @example
 * ```ts
 * import { createSlots } from '@fairway/api';
 *
 * const slots = createSlots({ ofOne: 1, ofAll: 4 });
 * const place = slots.enter('org_1');
 * ```
 */
export function createSlots({ ofOne, ofAll }: { readonly ofOne: number; readonly ofAll: number }): Slots {
  const counts = new Map<string, number>();
  let all = 0;
  return {
    enter(organisationId) {
      const own = counts.get(organisationId) ?? 0;
      if (own >= ofOne) return { ok: false, taken: 'OWN' };
      if (all >= ofAll) return { ok: false, taken: 'ALL' };
      all += 1;
      counts.set(organisationId, own + 1);
      let isLeft = false;
      return {
        ok: true,
        leave() {
          if (isLeft) return;
          isLeft = true;
          all -= 1;
          const left = (counts.get(organisationId) ?? 1) - 1;
          if (left > 0) counts.set(organisationId, left);
          else counts.delete(organisationId);
        },
      };
    },
  };
}

/**
 * Takes a slot until its caller has gone. False: there is none, or the caller has gone already.
 *
 * @example
 * ```ts
 * import { createSlots, holdSlot } from '@fairway/api';
 *
 * const isHeld = holdSlot(createSlots({ ofOne: 1, ofAll: 4 }), 'org_1', AbortSignal.timeout(1_000));
 * ```
 */
export function holdSlot(slots: Slots, organisationId: string, ended: AbortSignal): boolean {
  const slot = ended.aborted ? undefined : slots.enter(organisationId);
  if (slot?.ok !== true) return false;
  ended.addEventListener('abort', slot.leave);
  return true;
}
