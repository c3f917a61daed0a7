; A lane step at every down-up bounce of a Clos: packets that bounce at most k times need k + 1 lanes (Tagger's rule).
;
; The fabric: every node has a tier, a host below its switch; every cable joins two tiers.
; The forwarding: any hop at all, but no packet turns from down to up more than k times. It starts in lane 0; a switch that
; bounces it puts it in the next lane, the last lane k staying what it is; every other hop leaves its lane alone.
;
; Modelled: one packet that has come over x -> y in lane1 after b1 bounces, and goes on over y -> z in lane2, b2 bounces then
; counted. The invariant of the proof: the lane is the number of bounces, which is in 0..k. It is shown to hold when the packet
; leaves its host, and to last.
; The rank of the buffer at the end of a link: the lane; then links up by growing tier, before links down by falling tier.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-const k Int)
(declare-fun host (Node) Bool)
(declare-fun tier (Node) Int)
(define-fun up ((s Node) (n Node)) Bool (< (tier s) (tier n)))
(define-fun down ((s Node) (n Node)) Bool (> (tier s) (tier n)))
(define-fun bounce ((x Node) (y Node) (z Node)) Bool (and (down x y) (up y z)))
(define-fun hop ((s Node) (n Node)) Bool (and
    (distinct (tier s) (tier n)) ; a cable joins two tiers
  ))
(define-fun turn ((x Node) (y Node) (z Node) (lane1 Int) (b1 Int) (lane2 Int) (b2 Int)) Bool (and
    (hop x y)
    (hop y z)
    (= b2 (+ b1 (ite (bounce x y z) 1 0))) ; bounces are counted
    (<= b2 k) ; and there are at most k
    (=> (host x) (= lane1 b1 0)) ; hosts send in lane 0
    (=> (bounce x y z) (= lane2 (ite (< lane1 k) (+ lane1 1) k))) ; a bounce steps the lane, as far as there are lanes
    (=> (not (bounce x y z)) (= lane2 lane1)) ; elsewhere the lane stays
  ))
; == The rank
(define-fun rank-lane ((lane Int)) Int lane)
(define-fun rank-phase ((s Node) (n Node)) Int (ite (up s n) 0 1))
(define-fun rank-height ((s Node) (n Node)) Int (ite (up s n) (tier n) (- (tier n))))
(define-fun higher ((x Node) (y Node) (z Node) (lane1 Int) (lane2 Int)) Bool (or
    (> (rank-lane lane2) (rank-lane lane1))
    (and (= (rank-lane lane2) (rank-lane lane1)) (or
      (> (rank-phase y z) (rank-phase x y))
      (and (= (rank-phase y z) (rank-phase x y)) (> (rank-height y z) (rank-height x y)))))))
(define-fun invariant ((lane Int) (b Int)) Bool (and (= lane b) (<= 0 b) (<= b k)))
; == The theorem: no turn of a packet leaves the rank as it is or lowers it, and no lane but 0..k is used.
(declare-const x Node)
(declare-const y Node)
(declare-const z Node)
(declare-const lane1 Int)
(declare-const b1 Int)
(declare-const lane2 Int)
(declare-const b2 Int)
(assert (turn x y z lane1 b1 lane2 b2))
(assert (not (and
    (=> (host x) (invariant lane1 b1))
    (=> (invariant lane1 b1) (and
      (invariant lane2 b2)
      (<= 0 lane2 k)
      (higher x y z lane1 lane2))))))
(check-sat)
