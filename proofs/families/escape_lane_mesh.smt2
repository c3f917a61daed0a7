; Reselecting adaptive routing on a mesh of any size and of any number of dimensions, with an escape lane (Duato).
;
; The fabric: (at n i) is the coordinate of n in dimension i, for a host that of its switch. A cable between switches changes
; one coordinate by one; no cable wraps around. Hosts do not forward. Two lanes: 0 is the escape lane, 1 the adaptive one.
; The forwarding: a packet for d may be sent, by load, along any dimension towards d in lane 1, or along the lowest dimension
; that is not done in lane 0. The choice stays open until the packet leaves (reselecting): so whatever else it may choose, the
; escape hop is in its choice set. At the switch of d the only choice is the link to d.
;
; Modelled: one packet for d that has come over x -> y along dimension i in lane1. Its choice set at y may hold an adaptive
; member m, the hop y -> m along dimension a in lane2, and the escape member e, the hop y -> e along dimension j in lane 0 (at
; the switch of d: the link to d). Other members are left out: one with a higher rank is enough.
; A rank asks that some member of the choice set be higher, not all. A packet that commits when it enqueues has choice sets of
; one member each; that is the hypothesis which the twin drops.
; A rank belongs to a buffer, not to a packet: so a second packet, for c along dimension o in direction fo, is shown to agree with
; the first one on the dimension and direction of the link that both have come over.
; The rank of the buffer at the end of a link: from hosts; adaptive; escape; to hosts; then the dimension; then how far along.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun host (Node) Bool)
(declare-fun at (Node Int) Int)
(define-fun hop ((s Node) (n Node) (i Int) (fwd Bool) (d Node) (o Int) (lane Int)) Bool (and
    (= (at n i) (+ (at s i) (ite fwd 1 (- 1)))) ; a cable changes one coordinate by one
    (=> (distinct i o) (= (at n o) (at s o))) ; and no other
    (ite fwd (< (at s i) (at d i)) (> (at s i) (at d i))) ; towards the destination
    (=> (and (= lane 0) (< o i)) (= (at s o) (at d o))) ; in the escape lane the lower dimensions are done
  ))
(define-fun choices ((x Node) (y Node) (d Node) (i Int) (fi Bool) (lane1 Int)
    (m Node) (a Int) (fa Bool) (lane2 Int) (has-m Bool) (e Node) (j Int) (fj Bool) (has-e Bool)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y i fi d j lane1))
    (=> (not (host m)) (hop y m a fa d i lane2))
    (=> (not (host e)) (hop y e j fj d i 0))
    (or has-m has-e)
    has-e ; the escape hop stays in the choice set: reselecting
  ))
; == The rank
(define-fun rank-stage ((s Node) (n Node) (lane Int)) Int (ite (host s) 0 (ite (host n) 3 (ite (= lane 0) 2 1))))
(define-fun rank-dimension ((i Int)) Int i)
(define-fun rank-along ((n Node) (i Int) (fwd Bool)) Int (ite fwd (at n i) (- (at n i))))
(define-fun higher ((x Node) (y Node) (z Node) (i Int) (fi Bool) (lane1 Int) (j Int) (fj Bool) (lane2 Int)) Bool (or
    (> (rank-stage y z lane2) (rank-stage x y lane1))
    (and (= (rank-stage y z lane2) (rank-stage x y lane1)) (or
      (> (rank-dimension j) (rank-dimension i))
      (and (= (rank-dimension j) (rank-dimension i)) (> (rank-along z j fj) (rank-along y i fi)))))))
; == The theorem: no choice set of a packet is without a member of higher rank.
(declare-const x Node)
(declare-const y Node)
(declare-const d Node)
(declare-const c Node)
(declare-const o Int)
(declare-const fo Bool)
(declare-const i Int)
(declare-const fi Bool)
(declare-const lane1 Int)
(declare-const m Node)
(declare-const a Int)
(declare-const fa Bool)
(declare-const lane2 Int)
(declare-const has-m Bool)
(declare-const e Node)
(declare-const j Int)
(declare-const fj Bool)
(declare-const has-e Bool)
(assert (choices x y d i fi lane1 m a fa lane2 has-m e j fj has-e))
(assert (not (and
    (=> (and (not (host x)) (hop x y i fi d o lane1) (hop x y o fo c i lane1)) (and (= o i) (= fo fi)))
    (or
      (and has-m (higher x y m i fi lane1 a fa lane2))
      (and has-e (higher x y e i fi lane1 j fj 0))))))
(check-sat)
