// What the radius on the page means, in words for the answer that is shown.

/** The beginning of a paragraph, in bold, and the rest of it. */
export function meaningOf({radius, claim, unit, target, counterexample}) {
  const named = `A radius of ${radius}`;
  const outcome = target === null ? "gives the same label" : `does not give the label ${target}`;
  const change = target === null ? "change the label" : `make the label ${target}`;
  if (radius < 0) return ["No radius", " means that the method abstained: no label is likely enough to be certified."];
  if (claim === "is the target") return ["There is nothing to prove", ": the text already has the label that the attacker wants."];
  if (radius === 0 && claim === "exact") return [named, ` means that one edit is enough to ${change}; the page shows it.`];
  if (radius === 0) {
    return [named, " means that nothing is proved about edited texts: one edit may be enough, or many may not be."];
  }
  const made = radius === 1 ? "any one edit" : `any ${radius} edits`;
  const covered = `: make ${made} of the kinds that you allow above, anywhere in the text and with any ${unit}, and`;
  if (claim.startsWith("probability")) {
    const certain = claim.replace("≥", "of at least");
    return [named, ` means${covered} the smoothed classifier, not the model itself, still ${outcome}. That holds with ${certain}.`];
  }
  if (claim === "substitutions only") {
    const count = radius === 1 ? "one character" : `${radius} characters`;
    return [named, ` means: replace ${count} that the model knows by others that it knows, and the model still ${outcome}. Insertions and deletions are not covered.`];
  }
  const proof = " This is proved for every such text, not tested on some of them.";
  return [named, ` means${covered} the model still ${outcome}.${proof}${beyond(radius, claim, change, counterexample)}`];
}

function beyond(radius, claim, change, counterexample) {
  if (claim === "exact") return ` One more edit can ${change}; the page shows how.`;
  if (counterexample === null) return ` Whether ${radius + 1} edits can ${change} is not known.`;
  return ` ${counterexample.distance} edits can ${change}; whether fewer can is not known.`;
}
