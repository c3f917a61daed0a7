; Dimension order on a mesh of any size and of any number of dimensions.
;
; The fabric: (at n i) is the coordinate of n in dimension i, for a host that of its switch. A cable between switches changes
; one coordinate by one; no cable wraps around. Hosts do not forward.
; The forwarding: a switch sends the packet along the lowest dimension in which it is not yet where d is, towards d.
;
; Modelled: one packet for d that has come over x -> y, along dimension i, and goes on over y -> z, along dimension j. What
; holds for every other dimension is used only for the other of the two (argument o of hop): less is assumed, so the theorem
; is the stronger. Turns from and to host links are ordered by stage alone. One lane.
; A rank belongs to a buffer, not to a packet: so a second packet, for c along dimension o in direction fo, is shown to agree with
; the first one on the dimension and direction of the link that both have come over.
; The rank of the buffer at the end of a link: from hosts, between switches, to hosts; then the dimension; then how far along.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun host (Node) Bool)
(declare-fun at (Node Int) Int)
(define-fun hop ((s Node) (n Node) (i Int) (fwd Bool) (d Node) (o Int)) Bool (and
    (= (at n i) (+ (at s i) (ite fwd 1 (- 1)))) ; a cable changes one coordinate by one
    (=> (distinct i o) (= (at n o) (at s o))) ; and no other
    (ite fwd (< (at s i) (at d i)) (> (at s i) (at d i))) ; towards the destination
    (=> (< o i) (= (at s o) (at d o))) ; the lower dimensions are done
  ))
(define-fun turn ((x Node) (y Node) (z Node) (d Node) (i Int) (fi Bool) (j Int) (fj Bool)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y i fi d j))
    (=> (not (host z)) (hop y z j fj d i))
  ))
; == The rank
(define-fun rank-stage ((s Node) (n Node)) Int (ite (host s) 0 (ite (host n) 2 1)))
(define-fun rank-dimension ((i Int)) Int i)
(define-fun rank-along ((n Node) (i Int) (fwd Bool)) Int (ite fwd (at n i) (- (at n i))))
(define-fun higher ((x Node) (y Node) (z Node) (i Int) (fi Bool) (j Int) (fj Bool)) Bool (or
    (> (rank-stage y z) (rank-stage x y))
    (and (= (rank-stage y z) (rank-stage x y)) (or
      (> (rank-dimension j) (rank-dimension i))
      (and (= (rank-dimension j) (rank-dimension i)) (> (rank-along z j fj) (rank-along y i fi)))))))
; == The theorem: no turn of a packet leaves the rank as it is or lowers it.
(declare-const x Node)
(declare-const y Node)
(declare-const z Node)
(declare-const d Node)
(declare-const c Node)
(declare-const o Int)
(declare-const fo Bool)
(declare-const i Int)
(declare-const fi Bool)
(declare-const j Int)
(declare-const fj Bool)
(assert (turn x y z d i fi j fj))
(assert (not (and
    (=> (and (not (host x)) (hop x y i fi d o) (hop x y o fo c i)) (and (= o i) (= fo fi)))
    (higher x y z i fi j fj))))
(check-sat)
