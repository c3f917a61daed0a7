; Dateline lanes on a torus of any size and of any number of dimensions: dimension order, two lanes, a dateline a ring.
;
; The fabric: (at n i) in 0..(size i)-1 is the coordinate of n in dimension i, for a host that of its switch. A cable between
; switches goes to a neighbour on the ring of one dimension. Hosts do not forward.
; The forwarding: a switch sends the packet along the lowest dimension in which it is not yet where d is; within a dimension a
; packet keeps its direction. It enters each dimension in lane 0 and changes to lane 1 on the hop over that ring's dateline, the
; cable between the last coordinate and 0.
;
; Modelled: one packet for d that has come over x -> y along dimension i in lane1 and goes on over y -> z along dimension j in
; lane2. What holds for every other dimension is used only for the other of the two (argument o of hop).
; The invariant of the proof: a packet in lane 1 has its destination still before it, short of the dateline of that ring. It is
; shown to hold on the first hop in a dimension, and to last; that is the induction over the hops of a packet.
; A rank belongs to a buffer, not to a packet: so a second packet, for c along dimension o in direction fo, is shown to agree with
; the first one on the dimension and direction of the link that both have come over.
; The rank of the buffer at the end of a link: from hosts, between switches, to hosts; the dimension; the lane; how far along.
(set-info :status unsat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun size (Int) Int)
(declare-fun host (Node) Bool)
(declare-fun at (Node Int) Int)
(define-fun crosses ((s Node) (i Int) (fwd Bool)) Bool (ite fwd (= (+ (at s i) 1) (size i)) (= (at s i) 0)))
(define-fun next ((s Node) (i Int) (fwd Bool)) Int
  (ite fwd (ite (crosses s i fwd) 0 (+ (at s i) 1)) (ite (crosses s i fwd) (- (size i) 1) (- (at s i) 1))))
(define-fun hop ((s Node) (n Node) (i Int) (fwd Bool) (d Node) (o Int)) Bool (and
    (< 2 (size i)) ; a ring has three switches or more: a ring of two is a line, and needs no dateline
    (and (<= 0 (at s i)) (< (at s i) (size i)) (<= 0 (at d i)) (< (at d i) (size i))) ; the coordinates are 0..size-1
    (= (at n i) (next s i fwd)) ; a cable joins neighbours on one ring
    (=> (distinct i o) (= (at n o) (at s o))) ; and changes no other coordinate
    (distinct (at s i) (at d i)) ; only along a dimension that is not done
    (=> (< o i) (= (at s o) (at d o))) ; the lower dimensions are done
  ))
(define-fun same-ring ((x Node) (z Node) (i Int) (j Int)) Bool (and (not (host x)) (not (host z)) (= i j)))
(define-fun turn ((x Node) (y Node) (z Node) (d Node)
    (i Int) (fi Bool) (lane1 Int) (j Int) (fj Bool) (lane2 Int)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y i fi d j))
    (=> (not (host z)) (hop y z j fj d i))
    (=> (same-ring x z i j) (= fi fj)) ; within a dimension a packet keeps its direction
    (=> (and (not (host z)) (crosses y j fj)) (= lane2 1)) ; over the dateline into lane 1
    (=> (and (same-ring x z i j) (not (crosses y j fj))) (= lane2 lane1)) ; elsewhere on the ring the lane stays
    (=> (not (or (host z) (same-ring x z i j) (crosses y j fj))) (= lane2 0)) ; into a new dimension in lane 0
  ))
; == The rank
(define-fun rank-stage ((s Node) (n Node)) Int (ite (host s) 0 (ite (host n) 2 1)))
(define-fun rank-dimension ((i Int)) Int i)
(define-fun rank-lane ((lane Int)) Int lane)
(define-fun rank-along ((n Node) (i Int) (fwd Bool)) Int (ite fwd (at n i) (- (at n i))))
(define-fun higher ((x Node) (y Node) (z Node) (i Int) (fi Bool) (lane1 Int) (j Int) (fj Bool) (lane2 Int)) Bool (or
    (> (rank-stage y z) (rank-stage x y))
    (and (= (rank-stage y z) (rank-stage x y)) (or
      (> (rank-dimension j) (rank-dimension i))
      (and (= (rank-dimension j) (rank-dimension i)) (or
        (> (rank-lane lane2) (rank-lane lane1))
        (and (= (rank-lane lane2) (rank-lane lane1)) (> (rank-along z j fj) (rank-along y i fi)))))))))
(define-fun invariant ((n Node) (i Int) (fwd Bool) (d Node) (lane Int)) Bool (or
    (= lane 0)
    (and (= lane 1) (ite fwd (<= (at n i) (at d i)) (>= (at n i) (at d i))))))
; == The theorem: no turn of a packet leaves the rank as it is or lowers it, and no lane but 0 and 1 is used.
(declare-const x Node)
(declare-const y Node)
(declare-const z Node)
(declare-const d Node)
(declare-const c Node)
(declare-const o Int)
(declare-const fo Bool)
(declare-const i Int)
(declare-const fi Bool)
(declare-const lane1 Int)
(declare-const j Int)
(declare-const fj Bool)
(declare-const lane2 Int)
(assert (turn x y z d i fi lane1 j fj lane2))
(assert (not (and
    (=> (and (not (host x)) (hop x y i fi d o) (hop x y o fo c i)) (and (= o i) (= fo fi)))
    (=> (or (host x) (invariant y i fi d lane1)) (and
      (=> (not (host z)) (and (invariant z j fj d lane2) (<= 0 lane2 1)))
      (higher x y z i fi lane1 j fj lane2))))))
(check-sat)
