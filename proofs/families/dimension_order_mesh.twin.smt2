; Dimension order on a mesh without the order: any shortest path, as MinHop chooses, on a square of two by two.
;
; The loop: the four switches of a square; packet i enters at one, turns the corner at the next and leaves at the third.
; pi_0, pi_1, pi_2 are the switches of packet i in order; hi and gi are the hosts that send and receive.
(set-info :status sat)
(set-logic QF_UFLIA)
; == The rule
(declare-sort Node 0)
(declare-fun host (Node) Bool)
(declare-fun at (Node Int) Int)
(define-fun hop ((s Node) (n Node) (i Int) (fwd Bool) (d Node) (o Int)) Bool (and
    (= (at n i) (+ (at s i) (ite fwd 1 (- 1)))) ; a cable changes one coordinate by one
    (=> (distinct i o) (= (at n o) (at s o))) ; and no other
    (ite fwd (< (at s i) (at d i)) (> (at s i) (at d i))) ; towards the destination
  ))
(define-fun turn ((x Node) (y Node) (z Node) (d Node) (i Int) (fi Bool) (j Int) (fj Bool)) Bool (and
    (not (host y)) ; hosts do not forward
    (=> (not (host x)) (hop x y i fi d j))
    (=> (not (host z)) (hop y z j fj d i))
  ))
; == The loop
(declare-const p0_0 Node)
(declare-const p0_1 Node)
(declare-const p0_2 Node)
(declare-const p1_0 Node)
(declare-const p1_1 Node)
(declare-const p1_2 Node)
(declare-const p2_0 Node)
(declare-const p2_1 Node)
(declare-const p2_2 Node)
(declare-const p3_0 Node)
(declare-const p3_1 Node)
(declare-const p3_2 Node)
(declare-const h0 Node)
(declare-const h1 Node)
(declare-const h2 Node)
(declare-const h3 Node)
(declare-const g0 Node)
(declare-const g1 Node)
(declare-const g2 Node)
(declare-const g3 Node)
(assert (distinct p0_0 p1_0 p2_0 p3_0 h0 h1 h2 h3 g0 g1 g2 g3))
(assert (and (= p0_1 p1_0) (= p1_1 p2_0) (= p2_1 p3_0) (= p3_1 p0_0)))
(assert (and (= p0_2 p2_0) (= p1_2 p3_0) (= p2_2 p0_0) (= p3_2 p1_0)))
(assert (not (or (host p0_0) (host p1_0) (host p2_0) (host p3_0))))
(assert (and (host h0) (host h1) (host h2) (host h3) (host g0) (host g1) (host g2) (host g3)))
(assert (and (= (at g0 0) (at p0_2 0)) (= (at g1 0) (at p1_2 0)) (= (at g2 0) (at p2_2 0)) (= (at g3 0) (at p3_2 0))))
(assert (and (= (at g0 1) (at p0_2 1)) (= (at g1 1) (at p1_2 1)) (= (at g2 1) (at p2_2 1)) (= (at g3 1) (at p3_2 1))))
(declare-const f0 Bool) ; the directions of the four sides
(declare-const f1 Bool)
(declare-const f2 Bool)
(declare-const f3 Bool)
(assert (and (turn h0 p0_0 p0_1 g0 1 f3 0 f0) (turn p0_0 p0_1 p0_2 g0 0 f0 1 f1) (turn p0_1 p0_2 g0 g0 1 f1 0 f2)))
(assert (and (turn h1 p1_0 p1_1 g1 0 f0 1 f1) (turn p1_0 p1_1 p1_2 g1 1 f1 0 f2) (turn p1_1 p1_2 g1 g1 0 f2 1 f3)))
(assert (and (turn h2 p2_0 p2_1 g2 1 f1 0 f2) (turn p2_0 p2_1 p2_2 g2 0 f2 1 f3) (turn p2_1 p2_2 g2 g2 1 f3 0 f0)))
(assert (and (turn h3 p3_0 p3_1 g3 0 f2 1 f3) (turn p3_0 p3_1 p3_2 g3 1 f3 0 f0) (turn p3_1 p3_2 g3 g3 0 f0 1 f1)))
(check-sat)
